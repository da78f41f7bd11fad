import { formsOf } from '../src/hiding/encodings.ts'
import { createMatcher } from '../src/hiding/matcher.ts'
import { randomBytes } from 'node:crypto'
const cpu=(f: any)=>{const b=process.threadCpuUsage();const r=f();const {user,system}=process.threadCpuUsage(b);return [(user+system)/1000,r]};
for (const [name,make,n] of [['usual',()=> 'sk_live_'+randomBytes(30).toString('base64url'),500],['usual 1',()=> 'sk_live_'+randomBytes(30).toString('base64url'),1],['8k 1',()=>randomBytes(6000).toString('base64url').slice(0,8000),1],['4k random',()=>randomBytes(6000).toString('base64url').slice(0,8000),50],['alike',(i: any)=>'a'.repeat(8000)+i,50],['special',(i: any)=>'"&<%+/='.repeat(1140)+i,50],['long500',()=>randomBytes(6000).toString('base64url').slice(0,8000),500],['alike500',(i: any)=>'a'.repeat(490)+String(i).padStart(3,'0')+'b'.repeat(7000),500],['ideo',(i: any)=>'語'.repeat(8000)+i,50]] as any) {
 const s=Array.from({length:n},(_, i)=>make(i)); const [a,f]=cpu(()=>formsOf(s)); const [b]=cpu(()=>createMatcher(f));
 console.log(name,n,'forms',f.length,a.toFixed(1),'ms; units',f.reduce((x: any,y: any)=>x+y.text.length,0),'matcher',b.toFixed(1),'ms', process.memoryUsage().rss/1e6|0);
}
