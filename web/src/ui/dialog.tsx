/** A modal dialog by the browser's own element: it keeps the focus, and Escape closes it. */
import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, close, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) element.current?.showModal()
    else element.current?.close()
  }, [isOpen])
  return (
    <dialog ref={element} onClose={close} aria-label={title}>
      {isOpen && (
        <>
          <h2>{title}</h2>
          {children}
        </>
      )}
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly isOpen: boolean
  readonly close: () => void
  /** What the button does, as a verb: "Delete repo". */
  readonly action: string
  readonly isBusy?: boolean
  readonly confirm: () => void
  readonly children: ReactNode
}

/** Asks before something that cannot be undone, or costs money. */
export function Confirm({ title, isOpen, close, action, isBusy = false, confirm, children }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} close={close}>
      {children}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={isBusy} onClick={confirm}>
          {action}
        </button>
      </div>
    </Dialog>
  )
}
