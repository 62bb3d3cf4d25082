"""The words of the lessons' pictures in Chinese, for draw-lessons. A # stands for a number; what is not here stays."""

CHINESE = {
    # Titles.
    "The sound of the lessons": "课上用的声音", "The same sound as a spectrogram": "同一段声音的频谱图",
    "Packets, pictures and milliseconds": "包、画面和毫秒", "A ring between two threads": "两个线程之间的环形缓冲区",
    "Windows overlap by half": "窗重叠一半", "The # lines of a frame": "一帧的 # 条谱线",
    "The # bits of packet #": "# 个比特，第 # 个包", "The boxes of bird.m4a": "bird.m4a 里的 box",
    "What is heard of the packets": "包里听得到的部分", "From the tables to a sample": "从样本表到样本",
    "A queue that runs empty": "空掉的队列", "A cut from # s to # s": "从第 # s 剪到第 # s",
    "What a file without its index still tells": "没有索引的文件还能说明什么",
    # Sound and time.
    "whistle": "口哨", "trill": "颤音", "shutter": "快门", "# ms of the whistle: # samples": "口哨里的 # ms：# 个采样值",
    "sound": "声音", "pictures": "画面", "milliseconds": "毫秒",
    # Capture.
    "microphone": "麦克风", "its own clock": "有自己的时钟", "device's thread": "设备线程", "may not wait": "不能等待",
    "the program": "程序", "ring": "环形缓冲区", "read": "读", "write": "写", "sound is lost": "声音丢失", "fetched": "取走",
    "nobody reads": "没人读", "sound in the ring": "缓冲区里的声音", "time": "时间",
    # Encode.
    "packet #": "第 # 个包", "# samples": "# 个采样值", "lines that are sent": "传送的谱线",
    "lines that become #": "变成 # 的谱线", "a step of each band": "各频带的步长",
    "below the axis: where bands begin": "轴下的刻度：各频带的起点", "element, end": "元素、结束", "gain, window": "增益、窗",
    "which book": "用哪本码书", "scalefactors": "缩放因子", "tools": "工具", "lines, as Huffman words": "谱线的霍夫曼码字",
    "lines, as Huffman words: # bits": "谱线的霍夫曼码字：# 位",
    "lines, as Huffman words: #": "谱线的霍夫曼码字：#", "scalefactors: #": "缩放因子：#", "tools: #": "工具：#",
    "element, end: #": "元素、结束：#", "gain, window: #": "增益、窗：#", "which book: #": "用哪本码书：#",
    "the narrow parts, twice as wide:": "窄的部分，放大到 2 倍宽：", "filling: # bits": "填充：# 位",
    # Mux and demux.
    "bytes": "字节", "which rules the file follows": "文件遵守哪套规则", "the index": "索引",
    "timescale and duration of the movie": "全片的时间刻度和时长", "a track": "一条轨道", "its number": "轨道编号",
    "the edit list: what is heard, and when": "编辑列表：什么时候听到什么", "the track's timescale": "轨道的时间刻度",
    "sound, pictures or text": "声音、画面还是文字", "how samples are coded": "样本怎么编码", "how long each lasts": "每个多长",
    "how many are in a chunk": "每块有几个", "how large each is": "每个多大", "where chunks begin": "块从哪里开始",
    "the packets, one behind the other": "一个接一个的包", "tags": "标签", "packets": "包", "edit list": "编辑列表",
    "heard: # ticks": "听到：# 个 tick", "# ticks": "# 个 tick", "# in chunk #": "# 个在块 # 里",
    "# × # = tick #": "# × # = 第 # 个 tick", "chunk #, the #th in it": "块 #，其中第 # 个",
    "chunk # begins at byte #": "块 # 从第 # 字节开始", "# sizes: # bytes further": "# 个大小相加：再往后 # 字节",
    "byte #": "第 # 字节", "# bytes": "# 字节",
    # Render and edit.
    "in the queue": "队列里", "heard": "听到的", "# ms of silence": "静音 # ms", "packets # to #": "第 # 到 # 个包",
    "tick #: the edit begins here, which was # s": "第 # 个 tick：编辑从这里开始，原来的第 # s", "decoded, not heard": "解码，但不播出",
    "mdat: bytes, and nothing that says where packets begin": "mdat：只有字节，没有写包从哪里开始",
    "each ends where its own bits say: after the element “end”, and there the next one begins":
        "每个包到表示结束的元素为止，下一个就从那里开始",
}
