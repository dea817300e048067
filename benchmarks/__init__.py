"""Speed and quality against peers; each file is one command."""
