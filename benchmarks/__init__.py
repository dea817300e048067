"""Speed and quality against peers; each file is one command."""

import os

# The threads of NumPy's BLAS go on spinning for a while after each call, on cores that are being
# measured. Nothing here multiplies large matrices. It has to be said before NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
