-- The minute's collection looks for those whose time is over: without it, it reads all that were decided in the last day.
CREATE INDEX device_logins_undecided ON device_logins (expires_at) WHERE (state = 'pending'::"DeviceLoginState");
