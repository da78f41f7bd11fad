import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { client } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'

/**
 * Calls a tool with arguments as JSON. If no answer comes, the same arguments are sent under the same key the next
 * time, so that the site is never called twice for one press.
 */
export function useCall(entryId: string, toolName: string) {
  const queries = useQueryClient()
  const open = useRef<{ json: string; key: string }>(undefined)
  return useMutation({
    async mutationFn(json: string) {
      if (open.current?.json !== json) open.current = { json, key: crypto.randomUUID() }
      const params = { path: { entryId, toolName }, header: { 'Idempotency-Key': open.current.key } }
      // Numbers are sent with the digits that were typed.
      const exactly = { body: json as never, bodySerializer: String }
      const { data, error } = await client.POST('/vault/{entryId}/tools/{toolName}/call', { params, ...exactly })
      if (data === undefined) throw error
      return data
    },
    onSettled(_data, error) {
      if (error === null || problemOf(error).code !== 'OFFLINE') open.current = undefined
      void queries.invalidateQueries({ queryKey: ['get', '/vault/{entryId}/calls', 'list', entryId] })
      void queries.invalidateQueries({ queryKey: ['get', '/vault/{entryId}', { params: { path: { entryId } } }] })
    },
  })
}

export type Calling = ReturnType<typeof useCall>
