"""Any table in, one Batch of arrays out."""

from boxwise.inputs.batch import Batch
from boxwise.inputs.encoding import encode
from boxwise.inputs.kinds import infer_schema

__all__ = ["Batch", "encode", "infer_schema"]
