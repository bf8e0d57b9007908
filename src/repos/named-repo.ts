/**
 * Names of repos in SQL. A name means the repo that has it now. What is stored with a name keeps the id of the repo
 * that had it then, so that a name which is taken again finds nothing of the repo before; without an id the name is
 * text. Contract, "Reading".
 */

/**
 * SQL for the id of the repo that is called `name` now, no matter who sees it; `name` is SQL for lower-case text. Null
 * without one.
 */
export function repoNamed(name: string, kind: 'model' | 'robot'): string {
  return `(select named.id from accounts holder join repos named on named.owner_id = holder.id
    where holder.handle = split_part(${name}, '/', 1) and named.slug = split_part(${name}, '/', 2)
      and holder.handle || '/' || named.slug = ${name} and named.kind = '${kind}')`
}

/** SQL for the id of the robot that the row `alias` means: the one that it kept, else the one that has its name now. */
export function robotMeant(alias: string): string {
  return `coalesce(${alias}.robot_repo_id, ${repoNamed(`lower(${alias}.robot)`, 'robot')})`
}

/**
 * The two ways in which a row `alias` means the robot that is called `name` now; each is an SQL condition with an index
 * of its own, and no row satisfies both.
 */
export function namesRobot(alias: string, name: string): readonly [kept: string, asText: string] {
  return [
    `${alias}.robot_repo_id = ${repoNamed(name, 'robot')}`,
    `${alias}.robot_repo_id is null and lower(${alias}.robot) = ${name}`,
  ]
}
