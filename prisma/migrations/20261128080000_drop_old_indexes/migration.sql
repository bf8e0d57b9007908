-- For what the minute's collection drops: without them each run reads whole tables.
CREATE INDEX uploads_ended ON uploads (touched_at) WHERE (state = ANY (ARRAY['completed'::"UploadState", 'aborted'::"UploadState"]));
CREATE INDEX changes_at ON changes (at);
CREATE INDEX hosted_calls_ended ON hosted_calls (ended_at) WHERE (state = 'ended'::"HostedCallState");
CREATE INDEX deleted_runs_cleared ON deleted_runs (created_at) WHERE (cleared_at IS NOT NULL);
CREATE INDEX user_code_misses_started ON user_code_misses (started_at);
