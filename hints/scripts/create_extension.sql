-- The hint table needs the extension; hints in comments only need the library to be loaded.
create extension if not exists pg_hint_plan;
