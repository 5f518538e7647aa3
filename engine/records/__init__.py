"""Records: decisions kept, made again and compared."""
