/** A command to copy. */
import { useToast } from './toast.tsx'

export function Command({ text, label }: { readonly text: string; readonly label: string }) {
  const toast = useToast()
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toast('Copied.'),
      () => toast('Your browser does not allow copying here.'),
    )
  return (
    <div className="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, by keyboard too */}
      <code tabIndex={0}>{text}</code>
      <button type="button" className="button small" onClick={copy} aria-label={`Copy: ${label}`}>
        Copy
      </button>
    </div>
  )
}
