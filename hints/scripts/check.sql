-- Loaded? current_setting() is fooled by placeholders; pg_settings lists only settings of a loaded library.
select exists (select from pg_settings where name like 'pg\_hint\_plan.%') as loaded,
       (select default_version from pg_available_extensions where name = 'pg_hint_plan') as available,
       (select extversion from pg_extension where extname = 'pg_hint_plan') as installed,
       current_setting('server_version_num')::int as server;
