"""How a book of every earlier version becomes one of this version: Alembic, run by `incidents.database`.

To change a table: change `incidents.tables`, add ``versions/vNNNN_what.py`` (never change an old one), set
`incidents.tables.HEAD_REVISION`. ``tests/test_store.py`` says whether the two agree.
"""
