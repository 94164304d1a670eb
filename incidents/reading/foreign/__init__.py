"""Reading in languages other than English: the same records out, so that assembly and figures serve all languages.

A language is one data file in ``lexicons/languages/`` (see ``docs/adding-a-language.md``): no code knows a language by name.
"""

from incidents.reading.foreign.lexicon import list_languages
from incidents.reading.foreign.units import ForeignText, read_foreign

__all__ = ["ForeignText", "list_languages", "read_foreign"]
