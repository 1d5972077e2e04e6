"""`latitude relay`: a network device that holds each packet for a while."""
