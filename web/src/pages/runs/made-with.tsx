/** What a run was made with: its command, code, packages and machine, as `hub track` read them. */
import type { ReactNode } from 'react'
import { Rows } from './rows.tsx'

type Members = Readonly<Record<string, unknown>>

/** The whole environment of a run; nothing where there is none. */
export function MadeWith({ environment }: { readonly environment: unknown }) {
  if (!isObject(environment)) return null
  const git = isObject(environment.git) ? environment.git : null
  const python = isObject(environment.python) ? environment.python : null
  const packages = isObject(python?.packages) ? Object.entries(python.packages) : []
  const diff = textOf(git?.diff)
  const note = textOf(git?.diff_note)
  const facts = factsOf(environment, git, python)
  return (
    <section className="stack" aria-label="Made with">
      <h2>Made with</h2>
      <Rows label="Command, code and machine" heads={['What', 'Value']} rows={facts} />
      {(diff !== '' || note !== '') && (
        <Folded title="Changes that were not committed">
          {note !== '' && <p className="dim">{note}</p>}
          {diff !== '' && <pre className="panel mono">{diff}</pre>}
        </Folded>
      )}
      {packages.length > 0 && (
        <Folded title={`${packages.length} Python packages`}>
          <Rows
            label="Python packages"
            heads={['Package', 'Version']}
            rows={packages.map(([name, version]) => [name, textOf(version)])}
          />
        </Folded>
      )}
    </section>
  )
}

function Folded({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <details>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

function factsOf(environment: Members, git: Members | null, python: Members | null): [string, string][] {
  const { command, cwd, host, system, processor, processors, memory_gb: memory, gpus } = environment
  const rows: readonly (readonly [string, unknown])[] = [
    ['Command', listOf(command).join(' ')],
    ['Folder', cwd],
    ['Commit', git?.commit],
    ['Branch', git?.branch],
    ['Remote', git?.remote],
    ['Host', host],
    ['System', system],
    ['Processor', processors === undefined ? processor : `${processors} × ${textOf(processor) || 'processor'}`],
    ['Memory', memory === undefined ? null : `${memory} GB`],
    ['GPUs', listOf(gpus).join(', ')],
    ['Python', python?.version],
  ]
  return rows.flatMap(([name, value]): [string, string][] => (textOf(value) === '' ? [] : [[name, textOf(value)]]))
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
