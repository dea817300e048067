"""A small data set: its table, its raw form, its entry in the catalogue."""

import io
import zipfile
from hashlib import sha256

from boxwise.datasets.catalogue import Entry

TABLE = b"""\
height,colour,age,soil,class
1.50,red,3,loam,10
0.25,blue,12,sand,2
2,red,0,loam,10
"""
# As the archive has such files: names, gaps, blanks, zeros in front, the label not at the end.
RAW = b"""\
rose , 1.50,10,red,03,loam
tulip,0.25,2,blue,00012,sand
daisy,0.75,2,blue,?,sand
lily,2.0,10,red,0,loam

"""
GARDEN = Entry(
    name="garden",
    title="Garden",
    label="how many bees come",
    rows=3,
    classes=2,
    dropped="the name of the flower; 1 of 4 rows, because the age is missing",
    columns=("height", "colour", "age", "soil"),
    numeric=("height", "age"),
    sha256=sha256(TABLE).hexdigest(),
    page=7,
    slug="garden+flowers",
    file="garden.data",
    label_at=2,
    drop=(0,),
)


def zipped(**files: bytes) -> bytes:
    """Return a zip of files; a dot in a name is written as two underscores."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name.replace("__", "."), text)
    return content.getvalue()


ZIP = zipped(Index=b"two files", garden__data=RAW, garden__names=b"about it")
