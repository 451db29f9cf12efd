"""Choice among candidates: by proof first, by rows second, by the smallest database on which two readings
part, by a judge last.
"""
