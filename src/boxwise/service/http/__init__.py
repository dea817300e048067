"""What a request and its answer are: bodies, checks, schemas, tokens, limits."""
