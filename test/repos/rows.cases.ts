import { defineRows } from '../support/define-cases.ts'

export const rows = defineRows({
  kept: ({ lab, dataset, blob }) => ({
    repo_old_names: `insert into repo_old_names (owner_id, slug, repo_id) values ('${lab}', 'strolls', '${dataset}')`,
    repo_facets: `insert into repo_facets (owner_id, visibility, kind, facet, value, n) values ('${lab}', 'private', '', 'tag', 'walk', 1)`,
    repo_facet_changes: `insert into repo_facet_changes (owner_id, visibility, kind, tags, licenses, n) values ('${lab}', 'private', 'robot', array['walk'], '{}', 1)`,
    readme_cards: `insert into readme_cards (blob_id, facts, tags) values ('${blob}', '{"license": "mit"}', array['walk'])`,
  }),
  refused: {
    readme_cards_bounds: `insert into readme_cards (blob_id, facts, tags) select 'x', '{}', array_agg(n::text) from generate_series(1, 101) n`,
    repos_slug_form: `insert into repos (id, owner_id, slug, kind) values ('x', 'x', '-a', 'robot')`,
    repos_files_counted: `insert into repos (id, owner_id, slug, kind, verified_count) values ('x', 'x', 'a', 'robot', 1)`,
    repos_tags_limit: `insert into repos (id, owner_id, slug, kind, tags) select 'x', 'x', 'a', 'robot', array_agg(n::text) from generate_series(1, 21) n`,
    repos_snapshots_counted: `insert into repos (id, owner_id, slug, kind, snapshot_bytes) values ('x', 'x', 'a', 'robot', -1)`,
    repos_empty_commit_form: `insert into repos (id, owner_id, slug, kind, empty_commit_id) values ('x', 'x', 'a', 'robot', repeat('G', 40))`,
    repos_hf_name_form: `insert into repos (id, owner_id, slug, kind, hf_name) values ('x', 'x', 'a', 'robot', 'B')`,
  },
})
