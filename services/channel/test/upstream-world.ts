import { type FakeUpstream, startFakeUpstream } from '@tollgate/testing';
import { ChannelTestBed } from './channel-test-bed.js';

type ChannelForm = Parameters<ChannelTestBed['createOne']>[0];

/** The channel service, and an upstream that behaves as its address names. */
export class UpstreamWorld {
  testBed!: ChannelTestBed;
  upstream!: FakeUpstream;

  async open(): Promise<void> {
    this.upstream = await startFakeUpstream();
    this.testBed = await ChannelTestBed.start();
  }

  async close(): Promise<void> {
    await this.testBed?.close();
    await this.upstream?.close();
  }

  /** Removes what the test before left at both, and sets the options of the next one. */
  async clear(options: Parameters<ChannelTestBed['clear']>[0] = {}): Promise<void> {
    await this.testBed.clear(options);
    this.upstream.reset();
  }

  /** The address at which the upstream behaves as named. */
  at(behaviour: string): string {
    return behaviour === '' ? this.upstream.url : `${this.upstream.url}/~${behaviour}`;
  }

  /** Creates a channel whose upstream behaves as named. */
  createAt(behaviour: string, form: ChannelForm = {}): Promise<number> {
    return this.testBed.createOne({ base_url: this.at(behaviour), ...form });
  }
}
