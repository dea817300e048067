"""Models as ONNX graphs, which other programs evaluate without Python (extra ``onnx``)."""

from boxwise.onnx.export import LABEL, PROBABILITIES, to_onnx

__all__ = ["LABEL", "PROBABILITIES", "to_onnx"]
