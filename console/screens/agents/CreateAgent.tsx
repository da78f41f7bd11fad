import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../addresses.ts'
import { client } from '../../api/client.ts'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { AgentForm } from './form/AgentForm.tsx'
import { bodyOf, emptyDraft, type Draft } from './form/draft.ts'
import { KeepDialog } from './form/KeepDialog.tsx'
import { agentQuery } from './useAgent.ts'

export const Page = () => {
  const owner = useOwner()
  return (
    <Frame title="Create an agent" place={owner.name}>
      {owner.may('build') ? (
        <Create key={owner.address} owner={owner} />
      ) : (
        <Empty title="Your role may not create agents">
          <p>A member of the workspace can create one.</p>
        </Empty>
      )}
    </Frame>
  )
}

const Create = ({ owner }: { owner: Owner }) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [empty] = useState(() => emptyDraft(Intl.DateTimeFormat().resolvedOptions().timeZone))
  const [draft, setDraft] = useState(empty)
  const creating = useMutation({
    async mutationFn(typed: Draft) {
      const { data, error } = await client.POST('/agents', { body: { ...bodyOf(typed), ...owner.query } })
      if (!data) throw error
      return data
    },
    onSuccess(agent) {
      queries.setQueryData(agentQuery(agent.id).queryKey, agent)
      void queries.invalidateQueries({ queryKey: ['agent-list'] })
      notify('done', 'The agent is created.')
      void navigate({ ...to.agent(owner.address, agent.id), ignoreBlocker: true })
    },
  })
  return (
    <>
      <AgentForm
        owner={owner}
        draft={draft}
        error={creating.error}
        sent={creating.variables}
        busy={creating.isPending}
        verb="Create agent"
        onChange={setDraft}
        onSave={() => creating.mutate(draft)}
      >
        <Curl action={{ method: 'POST', path: '/agents', body: { ...bodyOf(draft), ...owner.query } }} />
      </AgentForm>
      <KeepDialog isChanged={draft !== empty} />
    </>
  )
}
