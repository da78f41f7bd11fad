import { useState } from 'react'
import { HostTicks } from '../../../parts/HostTicks.tsx'
import styles from './Connect.module.css'
import { SignInAtSite } from './SignInAtSite.tsx'
import { TokenForm, type LoginProps } from './TokenForm.tsx'

/** The hosts to trust, and then a token, the way to the site, nothing, or a choice of the last two. */
export const LoginForm = ({ site, url, owner, chosen }: Omit<LoginProps, 'hosts'>) => {
  const [accepted, accept] = useState<readonly string[]>([])
  const hosts = { accepted, areAll: site.foreignHosts.every((host) => accepted.includes(host)) }
  const props = { site, url, owner, hosts, chosen }
  const isOptional = site.offersSignIn && site.authType === 'none'
  return (
    <section className={styles.connect} aria-labelledby="connect">
      <h2 id="connect">Connect it</h2>
      <HostTicks
        legend="This site sends calls or logins to other hosts. Tick each one that you trust with them."
        hosts={site.foreignHosts}
        accepted={accepted}
        onAccept={accept}
      />
      {site.offersSignIn ? <SignInAtSite {...props} /> : <TokenForm {...props} />}
      {site.authType === 'oauth2' && chosen && (
        <details>
          <summary>Connect with a token instead</summary>
          <TokenForm {...props} />
        </details>
      )}
      {chosen?.length === 0 && <p className={styles.quiet}>The site can be connected when a tool is chosen.</p>}
      {!hosts.areAll && (
        <p className={styles.quiet}>
          {isOptional ? 'You can sign in' : 'The site can be connected'} when every host is ticked.
        </p>
      )}
      {/* Only a sign-in sends anything to other hosts. */}
      {isOptional && <TokenForm {...props} hosts={{ accepted, areAll: true }} />}
    </section>
  )
}
