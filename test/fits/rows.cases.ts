import { defineRows } from '../support/define-cases.ts'

const aMap = (version: string, fingerprint: string, more = '') =>
  `insert into joint_maps (from_repo_id, to_repo_id, version, map, fingerprint${more && ', reviewed_by'})
   values ('x', 'y', ${version}, '{}', ${fingerprint}${more})`

export const rows = defineRows({
  kept: ({ dataset, robot, ada }) => ({
    joint_maps: `insert into joint_maps (from_repo_id, to_repo_id, version, map, fingerprint, created_by) values ('${dataset}', '${robot}', 1, '{"version":1,"joints":[],"held":[],"dropped":[]}', repeat('a', 64), '${ada}')`,
  }),
  refused: {
    bodies_bounds: `insert into bodies (is_robot, fingerprint, joints_key, body) values (true, repeat('a', 64), repeat('a', 64), to_json(repeat('x', 32767)))`,
    bodies_fingerprints_form: `insert into bodies (is_robot, fingerprint, joints_key, body) values (true, 'A', repeat('a', 64), '{}')`,
    repo_bodies_source: `insert into repo_bodies (repo_id, is_robot, path, seq) values ('x', true, 'x', 1)`,
    joint_maps_bounds: aMap('0', `repeat('a', 64)`),
    joint_maps_fingerprint_form: aMap('1', `'A'`),
    joint_maps_reviewed_whole: aMap('1', `repeat('a', 64)`, `, 'x'`),
  },
})
