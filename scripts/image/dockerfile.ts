/** Reads the Dockerfile of this repository: as much of the format as that file uses, and a fault for anything else. */

interface Step {
  readonly does: string
  /** Everything after the instruction, on one line. */
  readonly text: string
}

export interface Stage {
  readonly name: string
  /** An image, or an earlier stage. */
  readonly from: string
  readonly steps: readonly Step[]
}

const known = [
  'ARG',
  'CMD',
  'COPY',
  'ENTRYPOINT',
  'ENV',
  'EXPOSE',
  'FROM',
  'HEALTHCHECK',
  'RUN',
  'STOPSIGNAL',
  'USER',
  'VOLUME',
  'WORKDIR',
]

/** The stages in their order. */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const args = new Map<string, string>()
  const stages: { name: string; from: string; steps: Step[] }[] = []
  for (const line of lines) {
    const [, does = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (!known.includes(does)) throw new Error(`The Dockerfile has an instruction that is not known here: ${line}`)
    const stage = stages.at(-1)
    if (does === 'ARG' && !stage) args.set(...pair(rest))
    else if (does === 'FROM') {
      const [from = '', , name = ''] = rest.split(/\s+/)
      stages.push({ name, from: from.replace(/^\$\{(\w+)\}$/, (_, arg: string) => args.get(arg) ?? ''), steps: [] })
    } else stage?.steps.push({ does, text: rest })
  }
  return stages
}

/** `NAME=value`, with or without quotes. */
export function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1).replace(/^"(.*)"$/, '$1')]
}

/** The words of an instruction in its JSON form. */
export const words = (text: string): string[] => JSON.parse(text)
