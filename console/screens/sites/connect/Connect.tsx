import { getRouteApi, Link } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { Page as Frame } from '../../../parts/Page.tsx'
import { useOwner } from '../../../session/workspace.ts'
import { AddressForm } from './AddressForm.tsx'
import { Connected } from './Connected.tsx'
import styles from './Connect.module.css'
import { Inspection } from './Inspection.tsx'
import { UploadDocument } from './UploadDocument.tsx'

const route = getRouteApi('/signed-in/w/$owner/sites/connect')

/** Connect a site: its address, what it can do, a login, and what it can do now. The address says how far one is. */
export const Page = () => {
  const owner = useOwner()
  const { url, entry } = route.useSearch()
  return (
    <Frame
      key={entry}
      title={entry === undefined ? 'Connect a site' : 'Connected site'}
      place={owner.name}
      above={<Link {...to.sites(owner.address)}>Sites</Link>}
    >
      {entry !== undefined ? (
        <Connected entryId={entry} owner={owner} />
      ) : owner.may('build') ? (
        <>
          <AddressForm key={url} url={url} owner={owner.address} />
          {url === undefined && <UploadDocument owner={owner} />}
          {url !== undefined && <Inspection key={`inspection of ${url}`} url={url} owner={owner} />}
        </>
      ) : (
        <p className={styles.quiet}>Your role may not connect sites. Ask a member of the workspace.</p>
      )}
    </Frame>
  )
}
