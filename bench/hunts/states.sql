-- state: plain
insert into base values (1, 1), (2, null);
insert into kid values (1, 1, 5), (3, 2, 6);
insert into p1 values (1, 1, 2), (1, 1, 2), (2, null, 3), (3, 5, null);
insert into u values (1, 1, 1, 1.0, 'a', 1, 1, 'a', true), (2, 2, null, 1.00, 'a ', 9007199254740993, '-0', 'b', null), (3, 5, 2, null, null, null, null, null, false), (4, 0, 2, 0, '', 0, 0, '', true);
insert into t values
 (1, 1, 1, 1, 1, 1, 1, 1.0, 1.00, 1, 'a', 'a', 'a', '2020-01-31', '2020-01-31 00:00', '2020-03-29 00:30+00', '1 month', true, '{1,2}', '101', 'a', 'happy'),
 (2, 1, null, 1, 0, null, 9007199254740993, 1.00, 1.00, '-0', 'a ', 'a ', 'A', '2020-02-29', '2020-02-29 12:00', '2020-10-25 01:30+00', '30 days', false, '{}', '000', 'b', 'sad'),
 (3, 2, 2, null, -1, 2, null, 'NaN', null, 'NaN', '', '', '', 'infinity', 'infinity', 'infinity', null, null, null, null, null, null),
 (4, 3, 1, 2, 1, 0, 0, 0, 0, 0, null, null, null, '-infinity', '-infinity', '-infinity', '0', true, '{NULL}', '111', '', 'ok'),
 (5, 3, null, 2, 2, 1, 1, null, 'NaN', null, 'b', 'b', 'b_%', null, null, null, '720 hours', null, '[0:1]={1,2}', '100', 'a', 'ok'),
 (6, 4, 4, null, 1, 1, -1, 1.50, 1.50, 1.5, 'a', 'a', 'a', '0001-01-01 BC', '0001-01-01 BC', '0001-01-01 BC', '-1 month', false, '{2,1}', '010', 'a', 'happy');
-- state: one
insert into u values (1, 1, 1, 1.0, 'a', 1, 1, 'a', true);
insert into t values (1, 1, null, 0, 0, 0, 0, 0.00, 0, '-0', '', '', '', '2020-03-01', '2020-03-01 23:59:59.999999', '2020-03-01', '1 day', true, '{1}', '001', 'a', 'ok');
-- state: empty
-- state: parents
insert into u values (1, 1, 1, 1.0, 'a', 1, 1, 'a', true), (2, 2, null, null, null, null, null, null, null);
-- state: extremes
insert into u values (1, -2147483648, null, 'Infinity', 'zzzz', 9223372036854775807, 'Infinity', 'z', true), (2, 2147483647, 1, '-Infinity', ' ', -9223372036854775808, '-Infinity', ' ', false);
insert into t values
 (2147483647, 1, 2, 2147483647, 1073741823, -2147483648, 9223372036854775807, 'Infinity', 9999.99, 'Infinity', 'zzzz', 'zz', 'z', '5874897-12-31', '294276-12-31', '2020-01-01', '178000000 years', true, '{2147483647}', '111', 'z', 'sad'),
 (-2147483648, 2, null, -2147483648, -1073741824, 2147483647, -9223372036854775808, '-Infinity', -9999.99, '1e308', ' ', ' ', ' ', '4713-01-01 BC', '4713-01-01 BC', '2020-01-01', '-178000000 years', false, '{-2147483648}', '000', ' ', 'happy'),
 (3, 2, 1, 2147483647, 2, 2147483647, 9223372036854775807, 1e-20, 0.01, '1e308', 'a', 'a', 'a', '2020-01-01', '2020-01-01', '2020-01-01', '1 us', true, '{2147483647,1}', '001', 'a', 'ok');
