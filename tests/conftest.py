"""What holds for all tests."""

import os
import signal
import sys

# Whoever starts the tests in the background of a shell lets them ignore Ctrl-C, and all that they
# start with them. Some tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Spark, in examples too, listens to this machine only, and its tasks run this Python.
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

# MLflow reports its use unless it is told not to before it is imported.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
