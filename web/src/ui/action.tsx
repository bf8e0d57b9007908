/** A button that runs a mutation, after a question where it cannot be undone. */
import { type ReactNode, useState } from 'react'
import { type AnyVariables, type TypedDocumentNode, useMutation } from 'urql'
import { Confirm } from './dialog.tsx'
import { asksToSignIn, messageOf } from './problem.ts'
import { ErrorNotice } from './states.tsx'
import { useToast } from './toast.tsx'

interface Props<Data, Variables extends AnyVariables> {
  readonly mutation: TypedDocumentNode<Data, Variables>
  readonly variables: Variables
  /** What the button does, as a verb: "Cancel run". */
  readonly title: string
  /** For who hears it without its row; begins with the title: "Make owner: bob". */
  readonly label?: string
  /** Said when it is done. */
  readonly done: string
  readonly className?: string
  /** What follows from it. Without, nothing is asked. */
  readonly children?: ReactNode
  readonly finished?: () => void
}

export function Action<Data, Variables extends AnyVariables>(props: Props<Data, Variables>) {
  const { mutation, variables, title, label, done, className = 'button', children, finished } = props
  const [{ fetching, error: refused }, run] = useMutation(mutation)
  const [isAsking, setAsking] = useState(false)
  const toast = useToast()
  const act = async () => {
    const { error } = await run(variables)
    // The dialog stays, and leads to the sign-in page.
    if (error && asksToSignIn(error) && children !== undefined) return
    setAsking(false)
    toast(error ? messageOf(error) : done)
    if (!error) finished?.()
  }
  return (
    <>
      <button
        type="button"
        className={className}
        disabled={fetching}
        aria-label={label}
        onClick={() => (children === undefined ? act() : setAsking(true))}
      >
        {title}
      </button>
      {children !== undefined && (
        <Confirm
          title={label ?? title}
          action={title}
          isOpen={isAsking}
          isBusy={fetching}
          close={() => setAsking(false)}
          confirm={act}
        >
          {refused && asksToSignIn(refused) ? <ErrorNotice error={refused} /> : children}
        </Confirm>
      )}
    </>
  )
}
