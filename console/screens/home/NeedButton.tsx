import { Link } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { Reconnect } from '../../parts/Reconnect.tsx'
import { shownText } from '../../parts/shown-text.ts'
import type { Owner } from '../../session/workspace.ts'
import styles from './Home.module.css'
import { needAction } from './need-action.ts'

/** The button of a need. What it opens is a link, so that it can be opened in another tab. */
export const NeedButton = ({ need, owner }: { need: Api['Need']; owner: Owner }) => {
  const action = needAction(need, owner)
  switch (action.does) {
    case 'resume':
      return <Resume agentId={action.agentId} name={need.agentName ?? 'The agent'} label={action.label} />
    case 'reconnect':
      return <ReconnectButton entryId={action.vaultEntryId} label={action.label} />
    case 'open':
      return (
        <Link {...action.address} className={styles.open}>
          {action.label}
        </Link>
      )
    default:
      return (
        <a href={action.href} target="_blank" rel="noopener" className={styles.open}>
          {action.label}
        </a>
      )
  }
}

const Resume = ({ agentId, name, label }: { agentId: string; name: string; label: string }) => {
  const queries = useQueryClient()
  const resuming = api.useMutation('post', '/agents/{agentId}/resume', {
    onSuccess: () => notify('done', `“${shownText(name)}” is resumed.`),
    onError: (error) => notify('problem', problemOf(error).sentence),
    onSettled: () => queries.invalidateQueries({ queryKey: ['get', '/needs'] }),
  })
  return (
    <>
      <Curl action={{ method: 'POST', path: `/agents/${agentId}/resume` }} />
      <Button small busy={resuming.isPending} onPress={() => resuming.mutate({ params: { path: { agentId } } })}>
        {label}
      </Button>
    </>
  )
}

const ReconnectButton = ({ entryId, label }: { entryId: string; label: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button small onPress={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Reconnect entryId={entryId} onClose={() => setOpen(false)} />}
    </>
  )
}
