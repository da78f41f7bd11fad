import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/Button.tsx'
import { notify } from '../../design/notices.ts'
import { Reconnect } from '../../parts/Reconnect.tsx'
import type { Owner } from '../../session/workspace.ts'
import { checkedInWords } from './changes/differences.ts'
import { Disconnect } from './Disconnect.tsx'
import styles from './Site.module.css'

/** What can be done about a connection. */
export const SiteActions = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => {
  const [open, setOpen] = useState<'reconnect' | 'disconnect'>()
  const close = () => setOpen(undefined)
  if (!owner.may('build')) return <Link {...to.siteChanges(owner.address, entry.id)}>Changes</Link>
  return (
    <>
      <Link {...to.siteChanges(owner.address, entry.id)} className={styles.button}>
        Changes
      </Link>
      <CheckNow entry={entry} owner={owner} />
      <Button kind={entry.status === 'needs_reauth' ? 'primary' : 'secondary'} onPress={() => setOpen('reconnect')}>
        {entry.authType === 'bearer' ? 'Replace token' : 'Reconnect'}
      </Button>
      <Button kind="danger" onPress={() => setOpen('disconnect')}>
        Disconnect
      </Button>
      {open === 'reconnect' && <Reconnect entryId={entry.id} onClose={close} />}
      {open === 'disconnect' && <Disconnect entry={entry} owner={owner} onClose={close} />}
    </>
  )
}

/** Reads what the site says about itself now. A change that waits is opened. */
const CheckNow = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const checking = api.useMutation('post', '/vault/{entryId}/refresh-manifest', {
    async onSuccess(found) {
      notify('done', checkedInWords(found))
      await queries.invalidateQueries()
      if (found.status === 'pending') await navigate(to.siteChanges(owner.address, entry.id))
    },
    onError: (error) => notify('problem', problemOf(error).sentence),
  })
  return (
    <Button busy={checking.isPending} onPress={() => checking.mutate({ params: { path: { entryId: entry.id } } })}>
      Check for changes
    </Button>
  )
}
