"""What a search that found nothing has covered, so that its silence can be judged."""
