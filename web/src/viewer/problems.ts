/** Why a robot is not shown, in words that help. Pure. */
import type { ModelFault } from '@hub/mjcf/fault'
import type { MissingFile } from '@hub/mjcf/reading'
import { viewerLimits } from './limits.ts'
import type { Problem } from './protocol.ts'

/** A problem on its way to the page. */
export class ViewerProblem extends Error {
  override readonly name = 'ViewerProblem'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.title)
    this.problem = problem
  }
}

const MIB = 1024 * 1024
const MAX_TOLD = 8

const placed = ({ file, line }: { readonly file: string | null; readonly line: number | null }) =>
  file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `

const told = (all: readonly string[]) =>
  all.length <= MAX_TOLD ? all : [...all.slice(0, MAX_TOLD), `… and ${all.length - MAX_TOLD} more`]

export function missingFiles(missing: readonly MissingFile[]): Problem {
  return {
    title: missing.length === 1 ? 'A file of the model is missing' : `${missing.length} files of the model are missing`,
    details: told(missing.map((one) => `${placed(one)}${one.path} is not in the repo.`)),
    fix: 'Push the files, or correct their paths in the model.',
  }
}

export function tooManyBytes(bytes: number, most: number): Problem {
  return {
    title: 'The model is too large for a browser',
    details: [`Its files have ${Math.ceil(bytes / MIB)} MiB; the viewer loads ${Math.floor(most / MIB)} MiB at most.`],
    fix: 'Simplify its meshes, or download the repo and open the model in MuJoCo.',
  }
}

export function tooManyTriangles(message: string): Problem {
  return {
    title: 'The model has too many triangles to draw here',
    details: [message, `The viewer draws ${Math.floor(viewerLimits.sceneBytes / MIB)} MiB of them at most.`],
    fix: 'Simplify its visual meshes.',
  }
}

export function tooManyShapes(shapes: number, bodies: number): Problem {
  return {
    title: 'The model has too many parts to draw here',
    details: [
      `It has ${shapes} shapes on ${bodies} bodies; the viewer draws ${viewerLimits.shapes} on ${viewerLimits.bodies} at most.`,
    ],
    fix: 'Simplify the model, or download the repo and open it in MuJoCo.',
  }
}

export const tooSlow: Problem = {
  title: 'MuJoCo takes too long to compile the model',
  details: [`It was ended after ${viewerLimits.compileMs / 1000} seconds.`],
  fix: 'Look for repeated parts and large meshes, or compile the model with `hub robot check`.',
}

export function unreadable(entry: string, faults: readonly ModelFault[]): Problem {
  return {
    title: `${entry} is not a model`,
    details: told(faults.map((one) => `${placed(one)}${one.message}`)),
    fix: 'Choose another file, or name the model in the card as mjcf_path.',
  }
}

/** `reason`: MuJoCo's own. `faults`: what the hub's reader found, which names files and lines. */
export function refused(reason: string, faults: readonly ModelFault[]): Problem {
  const hints = faults.flatMap(({ hint }) => (hint === null ? [] : [hint]))
  return {
    title: 'MuJoCo does not compile the model',
    details: told([cut(reason), ...faults.map((one) => `${placed(one)}${one.message}`)]),
    fix: hints[0] ?? 'Correct the model and push it again: `hub robot check` names the file and the line.',
  }
}

export function notDownloaded(path: string, why: string): Problem {
  return {
    title: 'A file of the model was not downloaded',
    details: [`${path}: ${why}`],
    fix: 'Try again. If it stays so, the object store may not allow downloads from this page (CORS).',
  }
}

export function mujocoNotDownloaded(why: string): Problem {
  return {
    title: 'MuJoCo was not downloaded',
    details: [cut(why)],
    fix: 'Reload the page once the hub can be reached.',
  }
}

export function engineFailed(why: string): Problem {
  const memory = /bad_alloc|memory|grow/i.test(why)
  return {
    title: memory ? 'The model needs more memory than the browser gives' : 'MuJoCo stopped',
    details: [cut(why)],
    fix: memory
      ? 'Close other pages, or use a smaller model.'
      : 'Reload the page. If it happens again, the model makes MuJoCo crash.',
  }
}

export const noWebgl: Problem = {
  title: 'The browser draws no 3D',
  details: ['WebGL 2 is switched off, or there is no graphics driver for it.'],
  fix: 'Switch on hardware acceleration in the settings of the browser, or use another browser.',
}

export const noModel: Problem = {
  title: 'The repo has no model yet',
  details: ['No MJCF (.xml) or URDF (.urdf) file is among its files.'],
  fix: 'Push the model with its meshes, and name it in the card as mjcf_path.',
}

export const tooManyFiles: Problem = {
  title: 'The repo has too many files to look through here',
  details: [`The viewer lists ${viewerLimits.listedFiles} files at most.`],
  fix: 'Keep the model and its meshes in a repo of their own.',
}

const cut = (text: string) =>
  text.length <= viewerLimits.messageChars ? text : `${text.slice(0, viewerLimits.messageChars)}…`
