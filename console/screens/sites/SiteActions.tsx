import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Reconnect } from '../../parts/Reconnect.tsx'
import type { Owner } from '../../session/workspace.ts'
import { Disconnect } from './Disconnect.tsx'

/** What can be done about a connection. */
export const SiteActions = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => {
  const [open, setOpen] = useState<'reconnect' | 'disconnect'>()
  const close = () => setOpen(undefined)
  if (!owner.may('build')) return null
  return (
    <>
      {(entry.authType !== 'none' || entry.status === 'needs_reauth') && (
        <Button kind={entry.status === 'needs_reauth' ? 'primary' : 'secondary'} onPress={() => setOpen('reconnect')}>
          {entry.authType === 'bearer' ? 'Replace token' : 'Reconnect'}
        </Button>
      )}
      <Button kind="danger" onPress={() => setOpen('disconnect')}>
        Disconnect
      </Button>
      {open === 'reconnect' && <Reconnect entryId={entry.id} onClose={close} />}
      {open === 'disconnect' && <Disconnect entry={entry} owner={owner} onClose={close} />}
    </>
  )
}
