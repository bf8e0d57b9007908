/** The display name of a run, before and after its output repo exists. Pure. Contract, "Reading runs". */

export type DisplayNameSource = 'name' | 'output_repo' | 'run_name' | 'recipe'

export interface NamedRun {
  readonly id: string
  /** What its people call it. */
  readonly givenName: string | null
  readonly template: string
  readonly robot: string | null
  readonly outputRepoName: string | null
  /** `hyperparams.run_name`, which may have any type. */
  readonly runName: unknown
}

/**
 * The name that it was given, else the output repo's full name, else the run name that the recipe gives, else template
 * and robot with the end of the id.
 */
export function displayNameOf(run: NamedRun): { name: string; source: DisplayNameSource } {
  if (run.givenName !== null) return { name: run.givenName, source: 'name' }
  if (run.outputRepoName) return { name: run.outputRepoName, source: 'output_repo' }
  if (typeof run.runName === 'string' && run.runName.trim() !== '') return { name: run.runName, source: 'run_name' }
  const parts = [run.template, run.robot, run.id.slice(-6)].filter(Boolean)
  return { name: parts.join(' '), source: 'recipe' }
}
