import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { agentQuery } from './useAgent.ts'

/** Goes back to a version, after a question. What could not be restored is said. */
export const Restore = ({ agentId, version }: { agentId: string; version: number }) => {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const restoring = useMutation({
    async mutationFn() {
      const params = { path: { agentId, version: String(version) } }
      const { data, error } = await client.POST('/agents/{agentId}/versions/{version}/restore', { params })
      if (!data) throw error
      return data
    },
    onSuccess({ agent, leftOut }) {
      queries.setQueryData(agentQuery(agentId).queryKey, agent)
      void queries.invalidateQueries({ queryKey: ['agent-list'] })
      if (leftOut.length === 0) notify('done', `Version ${version} is restored.`)
      else notify('problem', `Version ${version} is restored, but not all of it. ${shownText(leftOut.join(' '))}`)
      setAsking(false)
    },
  })
  return (
    <>
      <Button onPress={() => setAsking(true)}>Restore version</Button>
      <Dialog title={`Restore version ${version}?`} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>All settings get the values of that version. The present ones stay in the list of versions.</p>
        {restoring.error && <ErrorBox error={restoring.error} />}
        <DialogButtons>
          <Curl action={{ method: 'POST', path: `/agents/${agentId}/versions/${version}/restore` }} />
          <Button onPress={() => setAsking(false)}>Go back</Button>
          <Button kind="primary" busy={restoring.isPending} onPress={() => restoring.mutate()}>
            Restore version
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}
