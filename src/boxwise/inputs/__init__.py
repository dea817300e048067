"""Any table in, one Batch of arrays out."""

from boxwise.inputs.batch import Batch
from boxwise.inputs.encoding import encode
from boxwise.inputs.kinds import infer_schema
from boxwise.inputs.matching import columns_by_position

__all__ = ["Batch", "columns_by_position", "encode", "infer_schema"]
