"""Learning of files in parts, in several processes (``learn --jobs``)."""
