"""Which measure agrees best with people."""
