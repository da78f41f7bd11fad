import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { useOwner } from '../../session/workspace.ts'
import { StartRun } from './StartRun.tsx'
import { agentQuery } from './useAgent.ts'

/** Starts a run of an agent, pauses the agent, or resumes it. */
export const AgentActions = ({ agent }: { agent: Api['Agent'] }) => {
  const owner = useOwner()
  const queries = useQueryClient()
  const path = { params: { path: { agentId: agent.id } } }
  const [isStarting, setStarting] = useState(false)
  const isPaused = agent.pausedAt !== null
  const changing = useMutation({
    async mutationFn() {
      const { data, error } = await (isPaused
        ? client.POST('/agents/{agentId}/resume', path)
        : client.POST('/agents/{agentId}/pause', path))
      if (error) throw error
      return data
    },
    onSuccess(changed) {
      queries.setQueryData(agentQuery(agent.id).queryKey, changed)
      notify(
        'done',
        isPaused ? 'The agent is resumed.' : 'The agent is paused. Deliveries are still accepted and queued.',
      )
    },
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  return (
    <>
      <Curl action={{ method: 'POST', path: `/agents/${agent.id}/${isPaused ? 'resume' : 'pause'}` }} />
      {owner.may('build') && (
        <Button busy={changing.isPending} onPress={() => changing.mutate()}>
          {isPaused ? 'Resume agent' : 'Pause agent'}
        </Button>
      )}
      {owner.may('use') && <Button onPress={() => setStarting(true)}>Start run</Button>}
      {isStarting && <StartRun agentId={agent.id} onClose={() => setStarting(false)} />}
    </>
  )
}
