import { defineRows } from '../support/define-cases.ts'

const aMap = (version: string, fingerprint: string, more = '') =>
  `insert into joint_maps (from_repo_id, to_repo_id, version, map, fingerprint${more && ', reviewed_by'})
   values ('x', 'y', ${version}, '{}', ${fingerprint}${more})`

export const rows = defineRows({
  kept: ({ dataset, robot, ada }) => ({
    joint_maps: `insert into joint_maps (from_repo_id, to_repo_id, version, map, fingerprint, created_by) values ('${dataset}', '${robot}', 1, '{"version":1,"joints":[],"held":[],"dropped":[]}', repeat('a', 64), '${ada}')`,
    bodies: `insert into bodies (is_robot, fingerprint, joints_key, body) values (false, repeat('b', 64), repeat('c', 64), '{"joints":[]}')`,
    repo_bodies: `insert into repo_bodies (repo_id, kind, owner_id, is_public, is_robot, path, seq) values ('${dataset}', 'dataset', '${ada}', true, false, 'meta/info.json', 1)`,
    body_fits: `insert into body_fits (robot_fingerprint, source_fingerprint, verdict) values (repeat('d', 64), repeat('b', 64), 'as_is')`,
  }),
  refused: {
    bodies_bounds: `insert into bodies (is_robot, fingerprint, joints_key, body) values (true, repeat('a', 64), repeat('a', 64), to_json(repeat('x', 32767)))`,
    bodies_fingerprints_form: `insert into bodies (is_robot, fingerprint, joints_key, body) values (true, 'A', repeat('a', 64), '{}')`,
    repo_bodies_source: `insert into repo_bodies (repo_id, kind, owner_id, is_public, is_robot, path, seq) values ('x', 'robot', 'x', true, true, 'x', 1)`,
    joint_maps_bounds: aMap('0', `repeat('a', 64)`),
    joint_maps_fingerprint_form: aMap('1', `'A'`),
    joint_maps_reviewed_whole: aMap('1', `repeat('a', 64)`, `, 'x'`),
  },
})
