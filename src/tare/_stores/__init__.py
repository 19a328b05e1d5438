"""Object stores: addresses such as s3://bucket/run.txt, read in ranges and written whole (extra `cloud`)."""
