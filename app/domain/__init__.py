"""What the numbers mean: pure functions over arrays. No clock, socket, SQL, settings or logging."""
