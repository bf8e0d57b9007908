/** Shows what failed in place of an empty page. */
import { Component, type ReactNode } from 'react'
import { ErrorNotice } from '../ui/states.tsx'

interface Props {
  readonly children: ReactNode
}

export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    return error ? <ErrorNotice error={error} retry={() => location.reload()} /> : this.props.children
  }
}
