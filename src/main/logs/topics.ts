import { topics, type Topic } from './types.ts';

/** What a line is about, by its words in both languages. Only words of failure count: "timeout=500" in a settings line is no time-out. */
const words: Record<Topic, RegExp> = {
  timeout:
    /\btimed?[ _-]?out\b(?!\s*[=:]\s*\d)|\bno (?:response|answer|reply)\b|ETIMEDOUT|超时(?!时间|设置)|无(?:应答|响应|回应)|未(?:应答|响应)/i,
  crc_error:
    /\b(?:crc|lrc|checksum)\b[^.;\n]{0,20}(?:err|fail|wrong|bad|mismatch|invalid|!=)|\b(?:wrong|bad|invalid|incorrect)\s+(?:crc|lrc|checksum)\b|(?:crc|校验)(?:码|和)?\s*(?:错|失败|不符|异常|不匹配)/i,
  exception: /\bexception\b|\billegal (?:data|function)|\bslave device (?:busy|failure)|异常(?:码|响应|应答|代码)|非法(?:功能|数据|地址)/i,
  disconnect:
    /\bdisconnect|\bconnection (?:was )?(?:lost|closed|reset|aborted|refused)|\b(?:port|socket|link) (?:closed|lost|down)|ECONNRE(?:SET|FUSED)|\boffline\b|reset by peer|断开|断线|掉线|离线|连接(?:丢失|中断|失败|被拒)/i,
  write:
    /\b(?:write|wrote|written|writing)\b(?! (?:failed to log|buffer))|\bpreset (?:single|multiple)|\bforce (?:single|multiple)|写(?:入|线圈|寄存器|单个|多个)|下发|设定值修改/i,
  alarm: /\balarms?\b|报警|告警|警报/i,
};

export const topicsOf = (text: string): Topic[] => topics.filter((topic) => words[topic].test(text));

const unitPattern =
  /\b(?:unit|slave|station|node)(?:[ _-]?(?:id|address|addr|no\.?))?\s*[=:#]?\s*(\d{1,3})\b|(\d{1,3})\s*号\s*(?:从站|站|从机|设备)|(?:从站|站号|从机|站)\s*[=:：#号]?\s*(\d{1,3})/i;
export function unitIn(text: string): number | null {
  const m = unitPattern.exec(text);
  const unit = m ? Number(m[1] ?? m[2] ?? m[3]) : NaN;
  return unit >= 0 && unit <= 255 ? unit : null;
}

const devicePattern =
  /\b(?:device|dev|drive|plc)\s*[=:]\s*["']?([\w.#-]{1,40})|'([^']{1,40})'\s*(?:Tx|Rx)\b|设备\s*[=:：]\s*([^\s,，;；]{1,40})|\b((?:\d{1,3}\.){3}\d{1,3}:\d{1,5})\b|\b(COM\d{1,3}|\/dev\/tty\w+)\b|\b((?:plc|vfd|inv|meter)[_-]?\d{1,4})\b/i;
export function deviceIn(text: string): string | null {
  const m = devicePattern.exec(text);
  return m ? (m.slice(1).find((part) => part !== undefined) ?? null) : null;
}
