"""A demo facility over real sockets: one model of a plant, served through device profiles backwards."""
