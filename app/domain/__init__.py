"""Mathematics: pure functions of arrays. No clock, socket, SQL, settings or logging."""
