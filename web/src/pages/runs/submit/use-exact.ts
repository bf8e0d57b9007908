/** A mutation that is sent with exact numbers, for a component. */
import type { TypedDocumentNode } from '@urql/core'
import { useState } from 'react'
import { exactRequest } from '../../../app/exact-request.ts'
import type { Answer } from '../../../ui/root-field.ts'

export function useExact<Data, Variables>(document: TypedDocumentNode<Data, Variables>) {
  const [fetching, setFetching] = useState(false)
  const send = async (variables: Variables): Promise<Answer<Data>> => {
    setFetching(true)
    const next = await exactRequest(document, variables)
    setFetching(false)
    return next
  }
  return [{ fetching }, send] as const
}
