import { blockText, packBlock } from '../../src/runs/metrics/archive-block.ts'
import { defineRows } from '../support/define-cases.ts'
import { sha256Of } from '../support/hub.ts'

const aRun = (changes: string) =>
  `insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash, log_open_from,
     claim_credential, log_seq, stored_bytes, gate_passed, gate_total, project)
   select 'x', (r->>'kind')::"RunKind", (r->>'status')::"JobStatus", (r->>'executor')::"RunExecutor", 'x', 'x', 'act', '{}', r->>'hash', (r->>'open')::int,
     r->>'claim', coalesce((r->>'log')::int, 0), coalesce((r->>'stored')::int, 0), (r->>'passed')::int, (r->>'gates')::int, r->>'project'
   from (select jsonb '{"kind":"cloud","status":"queued","executor":"worker","hash":"${'a'.repeat(64)}"}' || '${changes}' as r) given`

/** The two lines of the run. */
const archived = await packBlock(
  blockText([
    { seq: 1, step: 1, elapsedS: 1.5, line: '{"iter": 1, "reward": 0.5}' },
    { seq: 2, step: 2, elapsedS: 2.5, line: '{"iter": 2, "reward": 2.5e-1}' },
  ]),
)
const archiveKey = (run: string) => `runs/${run}/metrics/kept.zst`

export const rows = defineRows({
  objects: ({ run }) => ({ [archiveKey(run)]: archived }),
  kept: ({ run }) => ({
    run_metric_summaries: `insert into run_metric_summaries (run_id, key, owner_id, position, count, last, last_step, min, min_step, max, max_step, mean)
      select id, 'loss', owner_id, 1, 2, 0.5, 2, 0.5, 2, 1.5, 1, 1 from runs order by id limit 1`,
    storage_spares: `insert into storage_spares (owner_id, run_id, bytes) select owner_id, id, 5 from runs order by id limit 1`,
    metric_archives: `insert into metric_archives (run_id, still_since, storage_key, size_bytes, sha256, lines, written_at)
      values ('${run}', now(), '${archiveKey(run)}', ${archived.length}, '${sha256Of(archived)}', 2, now())`,
    unfiled_metrics: `insert into unfiled_metrics (run_id, waits_from) select id, now() from runs order by id limit 1`,
    metric_archive_blocks: `insert into metric_archive_blocks (run_id, first_seq, last_seq, min_step, max_step, start, length)
      values ('${run}', 1, 2, 1, 2, 0, ${archived.length})`,
    log_purges: `insert into log_purges (job_id, job_kind, before_seq) select id, 'run', 2 from runs order by id limit 1`,
    run_media: `insert into run_media (run_id, key, step, index, kind, value, bytes)
      select id, 'note', 1, 0, 'text', '"one"', 9 from runs order by id limit 1`,
    run_facets: `insert into run_facets (owner_id, created_by, facet, value, robot_repo_id, n)
      select owner_id, '', 'robot', 'arm', '', 1 from runs order by id limit 1`,
    run_facet_changes: `insert into run_facet_changes (owner_id, created_by, kind, status, robot_repo_id, gated, n)
      select owner_id, '', kind, status, '', false, 1 from runs order by id limit 1`,
    run_media_keys: `insert into run_media_keys (run_id, key, kind, entries, bytes, last_step)
      select id, 'note', 'text', 1, 9, 1 from runs order by id limit 1`,
  }),
  refused: {
    run_datasets_selection_whole: `insert into run_datasets (run_id, position, ref, selection) values ('x', 0, 'x', 'clean')`,
    run_datasets_pinned_whole: `insert into run_datasets (run_id, position, ref, seq) values ('x', 0, 'x', 1)`,
    run_log_chunks_stored_once: `insert into run_log_chunks (run_id, seq, attempt, stream, byte_count, line_count, first_line) values ('x', 1, 1, 'stderr', 0, 0, 0)`,
    run_log_chunks_counted: `insert into run_log_chunks (run_id, seq, attempt, stream, text, byte_count, line_count, first_line) values ('x', 0, 1, 'stderr', '', 0, 0, 0)`,
    run_attempts_ended_whole: `insert into run_attempts (run_id, attempt, credential, claimed_by, "end") values ('x', 1, 'x', 'x', 'swept')`,
    run_gate_results_counted: `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count) values ('x', 1, '[]', 2, 1, 0, 0)`,
    run_metric_summaries_bounds: `insert into run_metric_summaries (run_id, key, owner_id, position, count, last, last_step, min, min_step, max, max_step, mean)
      values ('x', 'loss', 'x', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
    metric_archives_written_whole: `insert into metric_archives (run_id, still_since, storage_key) values ('x', now(), 'x')`,
    metric_archive_blocks_bounds: `insert into metric_archive_blocks (run_id, first_seq, last_seq, min_step, max_step, start, length)
      values ('x', 2, 1, 0, 0, 0, 1)`,
    run_media_one_content: `insert into run_media (run_id, key, step, index, kind, bytes) values ('x', 'note', 1, 0, 'text', 9)`,
    storage_spares_bounds: `insert into storage_spares (owner_id, run_id, bytes) values ('x', 'x', -1)`,
    run_media_bounds: `insert into run_media (run_id, key, step, index, kind, path, bytes) values ('x', 'note', 1, -1, 'image', 'a.png', 5)`,
    run_media_keys_bounds: `insert into run_media_keys (run_id, key, kind, entries, bytes, last_step) values ('x', 'note', 'text', 1, 9, -1)`,
    runs_hash_form: aRun('{"hash":"A"}'),
    runs_imported_has_no_executor: aRun('{"kind":"external"}'),
    runs_running_is_claimed: aRun('{"status":"running"}'),
    runs_ended_dated: aRun('{"status":"succeeded"}'),
    runs_log_open: aRun('{"open":1}'),
    runs_queued_is_free: aRun('{"claim":"x"}'),
    runs_counted: aRun('{"log":-1}'),
    runs_bytes_counted: aRun('{"stored":-1}'),
    runs_kept_bounds: aRun('{"project":""}'),
    runs_gates_counted: aRun('{"passed":2,"gates":1}'),
  },
})
