/** What a person may do with a run: change what it is kept by, repeat it, cancel it, delete it, compare it. */
import { pagePath } from '@hub/formats/page-paths'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Link } from '../../app/navigate.tsx'
import { useSession } from '../../app/session.tsx'
import { Action } from '../../ui/action.tsx'
import { useCanWrite } from '../repos/repo-frame.tsx'
import { EditRun } from './edit-run.tsx'
import { cancelRunMutation, deleteRunMutation } from './run.graphql.ts'
import type { RunShown } from './run-shown.ts'

export function RunActions({ run }: { readonly run: RunShown }) {
  const { viewer } = useSession()
  const canWrite = useCanWrite(run.owner.handle)
  const isCreator = viewer?.person !== undefined && viewer?.person?.handle === run.createdBy?.handle
  const isOver = run.finishedAt !== null
  return (
    <>
      {viewer && (
        <Link to="newRun" params={{}} query={{ from: run.id }} className="button primary">
          Run again
        </Link>
      )}
      {canWrite && <Edit run={run} />}
      <Link to="runs" params={{}} query={{ compare: run.id }} className="button">
        Compare
      </Link>
      {!isOver && (canWrite || isCreator) && <Cancel run={run} />}
      {isOver && canWrite && <Delete run={run} />}
    </>
  )
}

function Edit({ run }: { readonly run: RunShown }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Edit
      </button>
      <EditRun run={run} isOpen={isOpen} close={() => setOpen(false)} />
    </>
  )
}

function Cancel({ run }: { readonly run: RunShown }) {
  return (
    <Action
      mutation={cancelRunMutation}
      variables={{ input: { runId: run.id } }}
      title="Cancel run"
      done="The run is asked to stop."
      className="button danger"
    >
      <p>
        {run.executor === 'HOSTED'
          ? 'It stops within a minute, is billed for what it used, and what it has published so far stays.'
          : 'The runner stops it, and what it has published so far stays.'}
      </p>
    </Action>
  )
}

function Delete({ run }: { readonly run: RunShown }) {
  const [, go] = useLocation()
  return (
    <Action
      mutation={deleteRunMutation}
      variables={{ input: { runId: run.id } }}
      title="Delete run"
      done="Deleted."
      className="button danger"
      finished={() => go(pagePath('runs', {}))}
    >
      <p>
        Its log, metrics and settings are gone for good. What it has published and what it cost stay. A run that others
        come from cannot be deleted before them.
      </p>
    </Action>
  )
}
