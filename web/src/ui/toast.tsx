/** Short messages after an action, announced to screen readers too. */
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

const SHOWN_MS = 5_000

const Context = createContext<(text: string) => void>(() => undefined)

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([])
  const show = useCallback((text: string) => {
    const id = Date.now() + Math.random()
    setToasts((before) => [...before, { id, text }])
    setTimeout(() => setToasts((before) => before.filter((one) => one.id !== id)), SHOWN_MS)
  }, [])
  return (
    <Context value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text }) => (
          <div key={id} className="toast">
            {text}
          </div>
        ))}
      </div>
    </Context>
  )
}

/** Shows a message. */
export const useToast = () => useContext(Context)
