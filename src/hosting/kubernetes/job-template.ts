/**
 * The file HOSTED_KUBE_TEMPLATE: the Job of the deployed app, into which the hub writes what differs from call to call.
 */
import { readFileSync } from 'node:fs'
import type { V1Job } from '@kubernetes/client-node'
import { load } from 'js-yaml'
import { z } from 'zod'
import { type TypeNames, typeFault } from './template-faults.ts'

const absent = (why: string) => z.undefined({ error: `must be left out: ${why}` }).optional()
const only = <T extends string | number>(value: T) => z.literal(value, `must be ${value} or left out`).optional()

const env = z.array(
  z.looseObject({
    name: z.string().refine((name) => !name.startsWith('HUB_'), 'must not begin with HUB_, which the hub sets'),
  }),
)

/** What the hub needs of a template, and the fields that it sets itself. */
const shape = z.looseObject({
  apiVersion: z.literal('batch/v1', 'must be batch/v1'),
  kind: z.literal('Job', 'must be Job'),
  metadata: z
    .looseObject({
      name: absent('each call has a name of its own'),
      generateName: absent('each call has a name of its own'),
      namespace: absent('HOSTED_KUBE_NAMESPACE names it'),
      ownerReferences: absent('the Job outlives the hub'),
    })
    .optional(),
  spec: z.looseObject({
    // A call is executed at most once; the hub decides about another.
    backoffLimit: only(0),
    completions: only(1),
    parallelism: only(1),
    suspend: absent('the hub could not tell it from a Job that waits for a node'),
    selector: absent('Kubernetes makes it'),
    manualSelector: absent('Kubernetes makes the selector'),
    ttlSecondsAfterFinished: absent('HOSTED_KUBE_TTL_S says it'),
    template: z.looseObject({
      spec: z.looseObject({
        restartPolicy: only('Never'),
        containers: z
          .array(z.looseObject({ name: z.string().min(1), image: z.string().min(1), env: env.optional() }))
          .min(1, 'must have a container: the first executes the call'),
      }),
    }),
  }),
  status: absent('it is written by Kubernetes'),
})

/** Parses YAML or JSON. Throws an Error that names the fault. */
export function parseJobTemplate(text: string, types: TypeNames): V1Job {
  const value = parseYaml(text)
  const parsed = shape.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
  }
  const fault = typeFault(types, 'V1Job', value, '')
  if (fault !== null) throw new Error(fault)
  return value as V1Job
}

/** Reads and parses the file. Throws an Error that names it and the fault. */
export function readJobTemplate(path: string, types: TypeNames): V1Job {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`)
  }
  try {
    return parseJobTemplate(text, types)
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`)
  }
}

function parseYaml(text: string): unknown {
  try {
    return load(text)
  } catch (error) {
    throw new Error(`is not YAML: ${messageOf(error).split('\n')[0]}`)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
