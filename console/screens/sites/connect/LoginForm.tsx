import { useState } from 'react'
import type { Api } from '../../../api/client.ts'
import { Check } from '../../../design/Check.tsx'
import type { Owner } from '../../../session/workspace.ts'
import styles from './Connect.module.css'
import { SignInAtSite } from './SignInAtSite.tsx'
import { TokenForm } from './TokenForm.tsx'

export interface LoginProps {
  site: Api['Site']
  url: string
  owner: Owner
  /** The hosts that were ticked, and whether all are. */
  hosts: { accepted: readonly string[]; areAll: boolean }
}

/** The hosts to trust, and then a token or the way to the site. */
export const LoginForm = ({ site, url, owner }: Omit<LoginProps, 'hosts'>) => {
  const [accepted, accept] = useState<readonly string[]>([])
  const hosts = { accepted, areAll: site.foreignHosts.every((host) => accepted.includes(host)) }
  const props = { site, url, owner, hosts }
  return (
    <section className={styles.connect} aria-labelledby="connect">
      <h2 id="connect">Connect it</h2>
      {site.foreignHosts.length > 0 && (
        <fieldset className={styles.hosts}>
          <legend>This site sends calls or logins to other hosts. Tick each one that you trust with them.</legend>
          {site.foreignHosts.map((host) => (
            <Check
              key={host}
              isSelected={accepted.includes(host)}
              onChange={(isTicked) => accept(isTicked ? [...accepted, host] : accepted.filter((one) => one !== host))}
            >
              <code className="stranger">{host}</code>
            </Check>
          ))}
        </fieldset>
      )}
      {site.authType === 'bearer' ? <TokenForm {...props} /> : <SignInAtSite {...props} />}
      {!hosts.areAll && <p className={styles.quiet}>The site can be connected when every host is ticked.</p>}
    </section>
  )
}
